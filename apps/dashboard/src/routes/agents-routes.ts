import { screen } from './root.ts'

export const agentsRoutes = [
  screen('/devices', () => import('../screens/agents/devices-screen.tsx'), 'DevicesScreen'),
  screen('/devices/$id', () => import('../screens/agents/device-screen.tsx'), 'DeviceScreen'),
  screen('/join', () => import('../screens/agents/join-screen.tsx'), 'JoinScreen'),
  screen(
    '/leaderboard',
    () => import('../screens/agents/leaderboard-screen.tsx'),
    'LeaderboardScreen',
  ),
] as const
