import { screen } from './root.ts'

export const tasksRoutes = [
  screen('/tasks', () => import('../screens/tasks/tasks-screen.tsx'), 'TasksScreen'),
  screen('/workers', () => import('../screens/tasks/workers-screen.tsx'), 'WorkersScreen'),
] as const
