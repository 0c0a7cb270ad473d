/** How much and how fast, for a new task and for one that runs. */
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/field.tsx'
import type { LimitsTyped, WikiProblems } from './wiki-form.ts'

const FIELDS = ['maxRequests', 'maxMegabytes', 'maxMinutes', 'delaySeconds', 'inFlight'] as const

interface WikiLimitFieldsProps {
  typed: LimitsTyped
  change: (part: Partial<LimitsTyped>) => void
  problems: WikiProblems
}

export function WikiLimitFields({ typed, change, problems }: WikiLimitFieldsProps) {
  const { t } = useTranslation()
  return (
    <div className="limit-grid">
      {FIELDS.map((field) => (
        <Field
          key={field}
          label={t(`wikiAdd.limit.${field}`)}
          value={typed[field]}
          onChange={(text) => change({ [field]: text })}
          inputMode="decimal"
          problem={problems[field] === undefined ? undefined : t(`wikiAdd.limitWrong.${field}`)}
          isShort
        />
      ))}
    </div>
  )
}
