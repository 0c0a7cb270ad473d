import { screen } from './root.ts'

export const eventsRoutes = [
  screen('/events', () => import('../screens/events/events-screen.tsx'), 'EventsScreen'),
] as const
