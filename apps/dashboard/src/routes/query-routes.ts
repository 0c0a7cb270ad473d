import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const queryRoutes = [
  screen(
    '/queries',
    lazyRouteComponent(() => import('../screens/query/queries-screen.tsx'), 'QueriesScreen'),
  ),
  screen(
    '/queries/new',
    lazyRouteComponent(() => import('../screens/query/new-query-screen.tsx'), 'NewQueryScreen'),
  ),
  screen(
    '/queries/$id',
    lazyRouteComponent(() => import('../screens/query/query-screen.tsx'), 'QueryScreen'),
  ),
  screen(
    '/sql',
    lazyRouteComponent(() => import('../screens/query/sql-screen.tsx'), 'SqlScreen'),
  ),
  screen(
    '/tables',
    lazyRouteComponent(() => import('../screens/query/tables-screen.tsx'), 'TablesScreen'),
  ),
  screen(
    '/tables/$name',
    lazyRouteComponent(() => import('../screens/query/table-screen.tsx'), 'TableScreen'),
  ),
] as const
