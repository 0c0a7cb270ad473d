import type { WikiParams } from '../screens/wiki/wiki-params.ts'
import { screenWith } from './root.ts'

/** Lists keep their own words behind the question mark: nothing of it is dropped. */
const wikiScreen = screenWith((search): WikiParams => search)

export const wikiRoutes = [
  wikiScreen('/wikis', () => import('../screens/wiki/wikis-screen.tsx'), 'WikisScreen'),
  wikiScreen('/wikis/$wiki', () => import('../screens/wiki/wiki-screen.tsx'), 'WikiScreen'),
  wikiScreen(
    '/wikis/$wiki/page',
    () => import('../screens/wiki/wiki-page-screen.tsx'),
    'WikiPageScreen',
  ),
  wikiScreen(
    '/wikis/$wiki/editor',
    () => import('../screens/wiki/wiki-editor-screen.tsx'),
    'WikiEditorScreen',
  ),
  wikiScreen(
    '/wikis/$wiki/compare',
    () => import('../screens/wiki/wiki-compare-screen.tsx'),
    'WikiCompareScreen',
  ),
] as const
