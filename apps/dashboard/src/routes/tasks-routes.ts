import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const tasksRoutes = [
  screen(
    '/tasks',
    lazyRouteComponent(() => import('../screens/tasks/tasks-screen.tsx'), 'TasksScreen'),
  ),
  screen(
    '/workers',
    lazyRouteComponent(() => import('../screens/tasks/workers-screen.tsx'), 'WorkersScreen'),
  ),
] as const
