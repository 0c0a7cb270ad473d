/** Everything that can be gone to or done from the palette. */
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { call, queryOf } from '../../api/call.ts'
import { setLanguage } from '../../i18n.ts'
import { LANGUAGES, type Language } from '../../language.ts'
import { useLive } from '../../live/live-provider.tsx'
import { areasFor, type Area } from '../../auth/navigation.ts'
import { useMe } from '../../auth/use-me.ts'
import { applyTheme, THEMES } from '../../theme.ts'
import { applyZone, ZONES } from '../../zone.ts'
import { nameOf } from '../collection-name.tsx'
import { screenName } from './screen-name.ts'

export interface Command {
  id: string
  /** What is searched and shown. */
  text: string
  /** What kind of thing it is. */
  group: string
  /** An address inside the page, or something to do. */
  run: { to: string } | { act: () => void }
}

/** Many more are found by their own lists. */
const WATCHES_MAX = 200
const QUERIES_MAX = 50

export function useCommands(): Command[] {
  const { t } = useTranslation()
  const { me } = useMe()
  const areas = areasFor(me?.actions ?? null)
  return [
    ...useRunning(),
    ...areas.flatMap((area) => screensOf(area, t)),
    ...useFound(areas),
    ...lookCommands(t),
  ]
}

/** `3` means collection 3. */
export function numberCommand(asked: string, t: TFunction): Command[] {
  const id = /^#?(\d{1,9})$/.exec(asked.trim())?.[1]
  if (id === undefined) return []
  const text = t('palette.collectionNumber', { id })
  return [
    { id: `number ${id}`, text, group: t('nav.collections'), run: { to: `/collections/${id}` } },
  ]
}

function screensOf(area: Area, t: TFunction): Command[] {
  const group = t('palette.screen')
  return area.screens.map(({ to }) => ({
    id: to,
    text: screenName(area, to, t),
    group,
    run: { to },
  }))
}

/** What runs now comes first: that is what people look for. */
function useRunning(): Command[] {
  const { t } = useTranslation()
  const { state } = useLive()
  const running = (state?.snapshot.collections ?? []).filter(
    (collection) => collection.state === 'running',
  )
  return running.map((collection) => ({
    id: `collection ${collection.id}`,
    text: nameOf(collection, t),
    group: t('palette.running'),
    run: { to: `/collections/${collection.id}` },
  }))
}

/** Read when the palette is opened; a user who may not read them finds none. */
function useFound(areas: readonly Area[]): Command[] {
  const { t } = useTranslation()
  const isShown = (to: string): boolean =>
    areas.some(({ screens }) => screens.some((screen) => screen.to === to))
  const watches = useQuery({
    queryKey: ['watches', 'palette'],
    queryFn: () => readNamed('/watches', { limit: WATCHES_MAX }),
    enabled: isShown('/watches'),
  })
  const queries = useQuery({
    queryKey: ['queries', 'palette'],
    queryFn: () => readNamed('/queries', { state: 'running', limit: QUERIES_MAX }),
    enabled: isShown('/queries'),
  })
  return [
    ...(queries.data ?? []).map(({ id, name }) => ({
      id: `query ${id}`,
      text: `${name} (${id})`,
      group: t('palette.running'),
      run: { to: `/queries/${id}` },
    })),
    ...(watches.data ?? []).map(({ id, name }) => ({
      id: `watch ${id}`,
      text: name,
      group: t('nav.watches'),
      run: { to: `/watches/${id}` },
    })),
  ]
}

/** Whatever else they are. */
function readNamed(
  path: string,
  asked: Record<string, string | number>,
): Promise<{ id: string | number; name: string }[]> {
  return call('GET', `${path}${queryOf(asked)}`)
}

function lookCommands(t: TFunction): Command[] {
  const group = t('palette.look')
  const command = (id: string, text: string, act: () => void): Command => ({
    id,
    text,
    group,
    run: { act },
  })
  return [
    ...THEMES.map((theme) =>
      command(`theme ${theme}`, `${t('settings.theme')}: ${t(`settings.${theme}`)}`, () =>
        applyTheme(theme),
      ),
    ),
    ...Object.entries(LANGUAGES).map(([code, name]) =>
      command(`language ${code}`, `${t('settings.language')}: ${name}`, () => {
        void setLanguage(code as Language)
      }),
    ),
    ...ZONES.map((zone) =>
      command(`zone ${zone}`, `${t('settings.zone')}: ${t(`settings.${zone}`)}`, () =>
        applyZone(zone),
      ),
    ),
  ]
}
