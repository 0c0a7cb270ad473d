import { screen } from './root.ts'

export const stationRoutes = [
  screen('/abuse', () => import('../screens/station/abuse-screen.tsx'), 'AbuseScreen'),
  screen('/accounts', () => import('../screens/station/accounts-screen.tsx'), 'AccountsScreen'),
  screen('/config', () => import('../screens/station/config-screen.tsx'), 'ConfigScreen'),
] as const
