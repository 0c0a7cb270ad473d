import { useTranslation } from 'react-i18next'
import type { WikiSummary } from '@minga/protocol'
import { StatusBadge } from '../../components/status-badge.tsx'

type FreshnessState = 'followed' | 'paused' | 'still' | 'notFollowed'

export function freshnessOf({ feed, hasApi }: WikiSummary): FreshnessState {
  if (feed?.isOn) return 'followed'
  if (feed !== null) return 'paused'
  return hasApi ? 'notFollowed' : 'still'
}

const FRESH_MARKS = {
  followed: 'good',
  paused: 'warn',
  still: 'quiet',
  notFollowed: 'quiet',
} as const

/** Followed by its feed, paused, or a dump that stays as it is. */
export function Freshness({ summary }: { summary: WikiSummary }) {
  const { t } = useTranslation()
  const state = freshnessOf(summary)
  return <StatusBadge kind={FRESH_MARKS[state]} text={t(`wiki.freshness.${state}`)} />
}
