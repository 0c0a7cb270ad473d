import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const requestsRoutes = [
  screen(
    '/requests',
    lazyRouteComponent(() => import('../screens/requests/requests-screen.tsx'), 'RequestsScreen'),
  ),
  screen(
    '/requests/$id',
    lazyRouteComponent(() => import('../screens/requests/request-screen.tsx'), 'RequestScreen'),
  ),
] as const
