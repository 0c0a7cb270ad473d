/** What every screen stands in, and the two ways to say which address shows which. */
import { createRootRoute, createRoute, type RouteComponent } from '@tanstack/react-router'
import { parseArchiveParams } from '../screens/archive/archive-params.ts'
import { Frame } from '../components/frame.tsx'
import { NotFoundScreen } from '../screens/not-found-screen.tsx'

export const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFoundScreen })

/** What lists keep in the address: their columns decide which words there are. */
interface Words {
  [word: string]: string | undefined
}

/** A screen below the frame. */
export const screen = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    validateSearch: (search: Record<string, unknown>) => search as Words,
  })

/** One that is about what stands behind the question mark. */
export const searched = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    validateSearch: parseArchiveParams,
  })
