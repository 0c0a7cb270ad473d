import { useTranslation } from 'react-i18next'

interface DaysChoiceProps {
  days: number
  onDays: (days: number) => void
  choices?: readonly number[]
}

const FAR_BACK = [30, 90, 365, 3_650]

/** How far back figures reach. */
export function DaysChoice({ days, onDays, choices = FAR_BACK }: DaysChoiceProps) {
  const { t } = useTranslation()
  return (
    <p>
      <label>
        {t('leaders.span')}{' '}
        <select value={days} onChange={(event) => onDays(Number(event.target.value))}>
          {choices.map((span) => (
            <option key={span} value={span}>
              {t('leaders.days', { count: span })}
            </option>
          ))}
        </select>
      </label>
    </p>
  )
}
