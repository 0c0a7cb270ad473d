import { OverviewScreen } from '../screens/overview/overview-screen.tsx'
import { screen } from './root.ts'

export const collectionsRoutes = [
  screen('/', OverviewScreen),
  screen(
    '/collections',
    () => import('../screens/collections/collections-screen.tsx'),
    'CollectionsScreen',
  ),
  screen(
    '/new',
    () => import('../screens/collections/new-collection-screen.tsx'),
    'NewCollectionScreen',
  ),
  screen(
    '/collections/$id',
    () => import('../screens/collections/collection-screen.tsx'),
    'CollectionScreen',
  ),
] as const
