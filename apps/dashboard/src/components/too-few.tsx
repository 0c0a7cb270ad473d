import { useTranslation } from 'react-i18next'
import { POINTS_LEAST } from './time-axis.ts'

/** Instead of a plot of one or two points, which would suggest a trend that was not measured. */
export function TooFew({ count }: { count: number }) {
  const { t } = useTranslation()
  return <p className="quiet">{t('plot.tooFew', { count, least: POINTS_LEAST })}</p>
}
