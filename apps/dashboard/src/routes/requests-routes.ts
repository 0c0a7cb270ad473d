import { screen } from './root.ts'

export const requestsRoutes = [
  screen('/requests', () => import('../screens/requests/requests-screen.tsx'), 'RequestsScreen'),
  screen('/requests/$id', () => import('../screens/requests/request-screen.tsx'), 'RequestScreen'),
] as const
