/** What a device does, and if nothing, why. */
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { kindOfDoing, trustMarkOf } from './device-marks.ts'
import type { SeenDevice } from '../../api/station-api.ts'

export function StateMark({ device: { doing } }: { device: SeenDevice }) {
  const { t } = useTranslation()
  return <StatusBadge kind={kindOfDoing(doing)} text={t(`device.state.${doing}`)} />
}

export function WhyIdle({ device: { whyIdle } }: { device: SeenDevice }) {
  const { t } = useTranslation()
  if (whyIdle === null) return null
  return (
    <p className="quiet reason" data-reason={whyIdle}>
      {t(`idle.${whyIdle}`)}
    </p>
  )
}

/** With the reason, when it may not work. */
export function StandingMark({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { kind, word } = trustMarkOf(device.trust)
  const { reason = null, blockedUntil = null } = device.trust?.standing ?? {}
  return (
    <>
      <StatusBadge kind={kind} text={t(`trust.state.${word}`)} />
      {reason === null ? null : <p className="quiet reason">{t(`trust.reason.${reason}`)}</p>}
      {blockedUntil === null ? null : (
        <p className="quiet reason">{t('trust.until', { time: format.moment(blockedUntil) })}</p>
      )}
    </>
  )
}
