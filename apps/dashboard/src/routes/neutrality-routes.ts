import { screen } from './root.ts'

export const neutralityRoutes = [
  screen(
    '/neutrality',
    () => import('../screens/neutrality/monitors-screen.tsx'),
    'MonitorsScreen',
  ),
  screen(
    '/neutrality/$id',
    () => import('../screens/neutrality/monitor-screen.tsx'),
    'MonitorScreen',
  ),
] as const
