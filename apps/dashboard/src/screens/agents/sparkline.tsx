/** A rate in words, with half an hour of it as a small line. */
import type { DeviceRates } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { useStationNow } from '../../components/ago.tsx'
import { useFormat } from '../../components/use-format.ts'
import { linePath, perSecond } from './sparkline-path.ts'

const BOX = { width: 72, height: 20 }

interface SparklineProps {
  rates: DeviceRates
  way: 'downBytes' | 'upBytes'
}

export function Sparkline({ rates, way }: SparklineProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useStationNow()
  const values = rates[way]
  const rate = perSecond(values, rates, now)
  const isQuiet = values.every((value) => value === 0)
  return (
    <span className={`sparkline ${way === 'upBytes' ? 'up' : 'down'}`}>
      <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} aria-hidden="true">
        <path d={linePath(values, BOX)} className={isQuiet ? 'flat' : ''} />
      </svg>
      <span>{t('fleet.perSecond', { bytes: format.bytes(Math.round(rate)) })}</span>
    </span>
  )
}
