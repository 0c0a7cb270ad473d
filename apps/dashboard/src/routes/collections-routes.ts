import { CollectionScreen } from '../screens/collections/collection-screen.tsx'
import { NewCollectionScreen } from '../screens/collections/new-collection-screen.tsx'
import { OverviewScreen } from '../screens/overview/overview-screen.tsx'
import { screen } from './root.ts'

export const collectionsRoutes = [
  screen('/', OverviewScreen),
  screen('/new', NewCollectionScreen),
  screen('/collections/$id', CollectionScreen),
] as const
