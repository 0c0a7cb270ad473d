import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const stationRoutes = [
  screen(
    '/abuse',
    lazyRouteComponent(() => import('../screens/station/abuse-screen.tsx'), 'AbuseScreen'),
  ),
  screen(
    '/accounts',
    lazyRouteComponent(() => import('../screens/station/accounts-screen.tsx'), 'AccountsScreen'),
  ),
  screen(
    '/config',
    lazyRouteComponent(() => import('../screens/station/config-screen.tsx'), 'ConfigScreen'),
  ),
] as const
