/** The settings of a watch as fields, for a new one and for one that is changed. */
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView } from '@minga/protocol'
import { Select } from '../../components/choice.tsx'
import { Field } from '../../components/field.tsx'
import { categoryName } from './watch-words.ts'
import type { WatchProblems, WatchTyped } from './watch-form.ts'

interface WatchFieldsProps {
  typed: WatchTyped
  change: (part: Partial<WatchTyped>) => void
  problems: WatchProblems
  categories: readonly WatchCategoryView[]
}

export function WatchFields(props: WatchFieldsProps) {
  return (
    <>
      <About {...props} />
      <Pace {...props} />
    </>
  )
}

function About({ typed, change, problems, categories }: WatchFieldsProps) {
  const { t } = useTranslation()
  return (
    <>
      <Field
        label={t('people.name')}
        value={typed.name}
        onChange={(name) => change({ name })}
        problem={problems.name === undefined ? undefined : t('watch.nameMissing')}
      />
      <Select
        label={t('watch.category')}
        value={typed.category}
        onChange={(chosen) => change({ category: chosen })}
        options={[
          ['', t('watch.noCategory')],
          ...categories.map(
            ({ code }) => [String(code), categoryName(t, categories, code)] as const,
          ),
        ]}
      />
      <Field
        label={t('watch.observations')}
        value={typed.observations}
        onChange={(observations) => change({ observations })}
        rows={2}
      />
    </>
  )
}

function Pace({ typed, change, problems }: WatchFieldsProps) {
  const { t } = useTranslation()
  const wrong = (field: keyof WatchProblems): string | undefined =>
    problems[field] === undefined ? undefined : t('watch.numberWrong')
  return (
    <>
      <Field
        label={t('watch.period')}
        value={typed.periodHours}
        onChange={(periodHours) => change({ periodHours })}
        help={t('watch.periodHelp')}
        problem={wrong('periodHours')}
        inputMode="decimal"
        isShort
      />
      <Field
        label={t('watch.policy')}
        value={typed.policy}
        onChange={(policy) => change({ policy })}
        help={t('watch.policyHelp')}
        isShort
      />
      <Field
        label={t('watch.importance')}
        value={typed.importance}
        onChange={(importance) => change({ importance })}
        help={t('watch.importanceHelp')}
        problem={wrong('importance')}
        inputMode="decimal"
        isShort
      />
      <Field
        label={t('watch.floor')}
        value={typed.floorHours}
        onChange={(floorHours) => change({ floorHours })}
        help={t('watch.floorHelp')}
        problem={wrong('floorHours')}
        inputMode="decimal"
        isShort
      />
      <Field
        label={t('watch.threshold')}
        value={typed.threshold}
        onChange={(threshold) => change({ threshold })}
        help={t('watch.thresholdHelp')}
        problem={wrong('threshold')}
        inputMode="decimal"
        isShort
      />
    </>
  )
}
