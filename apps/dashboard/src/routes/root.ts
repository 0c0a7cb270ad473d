/** What every screen stands in, and the two ways to say which address shows which. */
import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { parseArchiveParams } from '../screens/archive/archive-params.ts'
import { Frame } from '../components/frame/frame.tsx'
import { NotFoundScreen } from '../screens/not-found-screen.tsx'

export const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFoundScreen })

/** What lists keep in the address: their columns decide which words there are. */
interface Words {
  [word: string]: string | undefined
}

/** A screen below the frame, at hand or loaded when it is first shown; `Search` is what stands behind the question mark. */
export const screenWith =
  <Search>(validateSearch: (search: Record<string, unknown>) => Search) =>
  <Path extends string, Name extends string>(
    path: Path,
    ...shown:
      | [component: RouteComponent]
      | [load: () => Promise<Record<NoInfer<Name>, () => ReactNode>>, name: Name]
  ) =>
    createRoute({
      getParentRoute: () => rootRoute,
      path,
      component: shown.length === 1 ? shown[0] : lazyRouteComponent(...shown),
      validateSearch,
    })

export const screen = screenWith((search) => search as Words)

/** One that is about what stands behind the question mark. */
export const searched = screenWith(parseArchiveParams)
