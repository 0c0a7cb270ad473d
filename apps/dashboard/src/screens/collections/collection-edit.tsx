/** The form that changes a collection while it runs. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import type { Collection } from '../../api/api-types.ts'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { changeOf, problemsOf, valuesOf, type EditNumber, type EditValues } from './edit-form.ts'
import { TOUCHED } from './leave-out-button.tsx'
import { ScopeChoice } from './scope-choice.tsx'

interface CollectionEditProps {
  collection: Collection
  onDone: () => void
}

export function CollectionEdit({ collection: { id, spec }, onDone }: CollectionEditProps) {
  const { t } = useTranslation()
  const [values, setValues] = useState(() => valuesOf(spec))
  const change = (part: Partial<EditValues>): void => setValues({ ...values, ...part })
  const problems = problemsOf(values)
  const wanted = changeOf(spec, values)
  const save = useChange(async () => {
    await station('PATCH /collections/{id}', { params: { id }, body: wanted })
    onDone()
  }, TOUCHED)
  const isReady = problems.length === 0 && Object.keys(wanted).length > 0
  const number = (field: EditNumber) => (
    <Field
      label={t(`form.${field}`)}
      value={values[field]}
      onChange={(text) => change({ [field]: text })}
      inputMode="decimal"
      isShort
      problem={problems.includes(field) ? t('edit.badNumber') : undefined}
    />
  )
  return (
    <ChangeForm
      change={save}
      isFilled={isReady}
      label={t('edit.save')}
      isPrimary
      isWaiting
      className="form edit-collection"
      title={t('edit.refused')}
      more={<Button onPress={onDone}>{t('edit.leave')}</Button>}
    >
      <p className="quiet">{t('edit.lead')}</p>
      <ScopeChoice value={values.scope} onChange={(scope) => change({ scope })} />
      <div className="limit-grid">
        {number('maxPages')}
        {number('maxDepth')}
        {number('maxMegabytes')}
        {number('maxMinutes')}
        {number('delay')}
      </div>
      <Field
        label={t('form.include')}
        value={values.include}
        onChange={(include) => change({ include })}
        rows={2}
        help={t('form.patternsHelp')}
      />
      <Field
        label={t('form.exclude')}
        value={values.exclude}
        onChange={(exclude) => change({ exclude })}
        rows={3}
      />
    </ChangeForm>
  )
}
