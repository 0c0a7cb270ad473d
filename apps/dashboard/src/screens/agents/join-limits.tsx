/** What a volunteer lends, as fields that change the command. */
import { Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/field.tsx'
import { badLimits, LIMIT_FIELDS, type JoinLimits } from './join-command.ts'

const EXAMPLES: Record<(typeof LIMIT_FIELDS)[number][0], string> = {
  bandwidth: '1MB',
  monthly: '20GB',
  hours: '22:00-07:00',
  cpu: '0.5',
}

interface JoinLimitsFormProps {
  limits: JoinLimits
  onChange: (limits: JoinLimits) => void
}

export function JoinLimitsForm({ limits, onChange }: JoinLimitsFormProps) {
  const { t } = useTranslation()
  const bad = badLimits(limits)
  const box = (name: 'worksOnBattery' | 'worksOnMetered') => (
    <Checkbox isSelected={limits[name]} onChange={(is) => onChange({ ...limits, [name]: is })}>
      <span className="box" aria-hidden="true" />
      {t(`join.limit.${name}`)}
    </Checkbox>
  )
  return (
    <fieldset className="join-limits">
      <legend>{t('join.limits')}</legend>
      <div className="limit-grid">
        {LIMIT_FIELDS.map(([name]) => (
          <Field
            key={name}
            label={t(`join.limit.${name}`)}
            value={limits[name]}
            onChange={(text) => onChange({ ...limits, [name]: text })}
            placeholder={EXAMPLES[name]}
            isShort
            {...(bad.includes(name)
              ? { problem: t('join.badLimit', { example: EXAMPLES[name] }) }
              : {})}
          />
        ))}
      </div>
      {box('worksOnBattery')}
      {box('worksOnMetered')}
      <p className="quiet">{t('join.limitsNote')}</p>
    </fieldset>
  )
}
