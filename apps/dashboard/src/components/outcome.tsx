import { useTranslation } from 'react-i18next'
import { StatusBadge, type StatusKind } from './status-badge.tsx'

const KINDS: Record<string, StatusKind> = { failed: 'bad', denied: 'warn' }

/** The status of what was captured; else how it ended. */
export function Outcome({ outcome, status }: { outcome: string; status: number | null }) {
  const { t } = useTranslation()
  if (outcome === 'captured' && status !== null) {
    return <span className={`http s${Math.floor(status / 100)}`}>{status}</span>
  }
  return <StatusBadge kind={KINDS[outcome] ?? 'quiet'} text={t(`outcome.${outcome}`)} />
}
