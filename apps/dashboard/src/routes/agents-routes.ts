import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const agentsRoutes = [
  screen(
    '/devices',
    lazyRouteComponent(() => import('../screens/agents/devices-screen.tsx'), 'DevicesScreen'),
  ),
  screen(
    '/devices/$id',
    lazyRouteComponent(() => import('../screens/agents/device-screen.tsx'), 'DeviceScreen'),
  ),
  screen(
    '/join',
    lazyRouteComponent(() => import('../screens/agents/join-screen.tsx'), 'JoinScreen'),
  ),
  screen(
    '/leaderboard',
    lazyRouteComponent(
      () => import('../screens/agents/leaderboard-screen.tsx'),
      'LeaderboardScreen',
    ),
  ),
] as const
