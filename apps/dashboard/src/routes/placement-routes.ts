import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const placementRoutes = [
  screen(
    '/placement',
    lazyRouteComponent(
      () => import('../screens/placement/placement-screen.tsx'),
      'PlacementScreen',
    ),
  ),
  screen(
    '/placement/hosts',
    lazyRouteComponent(
      () => import('../screens/placement/placement-hosts-screen.tsx'),
      'PlacementHostsScreen',
    ),
  ),
  screen(
    '/placement/epochs',
    lazyRouteComponent(
      () => import('../screens/placement/placement-epochs-screen.tsx'),
      'PlacementEpochsScreen',
    ),
  ),
  screen(
    '/placement/epochs/$epoch',
    lazyRouteComponent(
      () => import('../screens/placement/placement-epoch-screen.tsx'),
      'PlacementEpochScreen',
    ),
  ),
  screen(
    '/placement/federation',
    lazyRouteComponent(
      () => import('../screens/placement/placement-federation-screen.tsx'),
      'PlacementFederationScreen',
    ),
  ),
] as const
