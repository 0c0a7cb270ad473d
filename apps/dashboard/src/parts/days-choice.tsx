import { useTranslation } from 'react-i18next'

const CHOICES = [30, 90, 365, 3_650] as const

interface DaysChoiceProps {
  days: number
  onDays: (days: number) => void
}

/** How far back figures reach. */
export function DaysChoice({ days, onDays }: DaysChoiceProps) {
  const { t } = useTranslation()
  return (
    <p>
      <label>
        {t('leaders.span')}{' '}
        <select value={days} onChange={(event) => onDays(Number(event.target.value))}>
          {CHOICES.map((span) => (
            <option key={span} value={span}>
              {t('leaders.days', { count: span })}
            </option>
          ))}
        </select>
      </label>
    </p>
  )
}
