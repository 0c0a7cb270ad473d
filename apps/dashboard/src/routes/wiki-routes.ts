import { createRoute, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router'
import type { WikiParams } from '../screens/wiki/wiki-params.ts'
import { rootRoute } from './root.ts'

/** Lists keep their own words behind the question mark: nothing of it is dropped. */
const wikiScreen = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    validateSearch: (search: Record<string, unknown>): WikiParams => search,
  })

export const wikiRoutes = [
  wikiScreen(
    '/wikis',
    lazyRouteComponent(() => import('../screens/wiki/wikis-screen.tsx'), 'WikisScreen'),
  ),
  wikiScreen(
    '/wikis/$wiki',
    lazyRouteComponent(() => import('../screens/wiki/wiki-screen.tsx'), 'WikiScreen'),
  ),
  wikiScreen(
    '/wikis/$wiki/page',
    lazyRouteComponent(() => import('../screens/wiki/wiki-page-screen.tsx'), 'WikiPageScreen'),
  ),
  wikiScreen(
    '/wikis/$wiki/editor',
    lazyRouteComponent(() => import('../screens/wiki/wiki-editor-screen.tsx'), 'WikiEditorScreen'),
  ),
  wikiScreen(
    '/wikis/$wiki/compare',
    lazyRouteComponent(
      () => import('../screens/wiki/wiki-compare-screen.tsx'),
      'WikiCompareScreen',
    ),
  ),
] as const
