import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const eventsRoutes = [
  screen(
    '/events',
    lazyRouteComponent(() => import('../screens/events/events-screen.tsx'), 'EventsScreen'),
  ),
] as const
