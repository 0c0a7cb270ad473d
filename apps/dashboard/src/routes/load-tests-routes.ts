import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const loadTestsRoutes = [
  screen(
    '/load-tests',
    lazyRouteComponent(
      () => import('../screens/load-tests/load-tests-screen.tsx'),
      'LoadTestsScreen',
    ),
  ),
  screen(
    '/load-tests/$id',
    lazyRouteComponent(
      () => import('../screens/load-tests/load-test-screen.tsx'),
      'LoadTestScreen',
    ),
  ),
] as const
