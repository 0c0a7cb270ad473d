import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const neutralityRoutes = [
  screen(
    '/neutrality',
    lazyRouteComponent(() => import('../screens/neutrality/monitors-screen.tsx'), 'MonitorsScreen'),
  ),
  screen(
    '/neutrality/$id',
    lazyRouteComponent(() => import('../screens/neutrality/monitor-screen.tsx'), 'MonitorScreen'),
  ),
] as const
