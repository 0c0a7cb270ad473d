import { lazyRouteComponent } from '@tanstack/react-router'
import { OverviewScreen } from '../screens/overview/overview-screen.tsx'
import { screen } from './root.ts'

export const collectionsRoutes = [
  screen('/', OverviewScreen),
  screen(
    '/collections',
    lazyRouteComponent(
      () => import('../screens/collections/collections-screen.tsx'),
      'CollectionsScreen',
    ),
  ),
  screen(
    '/new',
    lazyRouteComponent(
      () => import('../screens/collections/new-collection-screen.tsx'),
      'NewCollectionScreen',
    ),
  ),
  screen(
    '/collections/$id',
    lazyRouteComponent(
      () => import('../screens/collections/collection-screen.tsx'),
      'CollectionScreen',
    ),
  ),
] as const
