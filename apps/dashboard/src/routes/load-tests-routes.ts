import { screen } from './root.ts'

export const loadTestsRoutes = [
  screen(
    '/load-tests',
    () => import('../screens/load-tests/load-tests-screen.tsx'),
    'LoadTestsScreen',
  ),
  screen(
    '/load-tests/$id',
    () => import('../screens/load-tests/load-test-screen.tsx'),
    'LoadTestScreen',
  ),
] as const
