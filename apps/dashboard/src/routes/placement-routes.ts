import { screen } from './root.ts'

export const placementRoutes = [
  screen(
    '/placement',
    () => import('../screens/placement/placement-screen.tsx'),
    'PlacementScreen',
  ),
  screen(
    '/placement/hosts',
    () => import('../screens/placement/placement-hosts-screen.tsx'),
    'PlacementHostsScreen',
  ),
  screen(
    '/placement/epochs',
    () => import('../screens/placement/placement-epochs-screen.tsx'),
    'PlacementEpochsScreen',
  ),
  screen(
    '/placement/epochs/$epoch',
    () => import('../screens/placement/placement-epoch-screen.tsx'),
    'PlacementEpochScreen',
  ),
  screen(
    '/placement/federation',
    () => import('../screens/placement/placement-federation-screen.tsx'),
    'PlacementFederationScreen',
  ),
] as const
