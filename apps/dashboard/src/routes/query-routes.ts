import { screen } from './root.ts'

export const queryRoutes = [
  screen('/queries', () => import('../screens/query/queries-screen.tsx'), 'QueriesScreen'),
  screen('/queries/new', () => import('../screens/query/new-query-screen.tsx'), 'NewQueryScreen'),
  screen('/queries/$id', () => import('../screens/query/query-screen.tsx'), 'QueryScreen'),
  screen('/sql', () => import('../screens/query/sql-screen.tsx'), 'SqlScreen'),
  screen('/tables', () => import('../screens/query/tables-screen.tsx'), 'TablesScreen'),
  screen('/tables/$name', () => import('../screens/query/table-screen.tsx'), 'TableScreen'),
] as const
