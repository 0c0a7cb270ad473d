import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import {
  EMPTY_LOAD,
  loadProblemsOf,
  loadTestAsked,
  RANGES,
  type LoadForm,
  type LoadNumber,
  type LoadProblems,
} from './load-form.ts'

interface FormPart {
  form: LoadForm
  change: (part: Partial<LoadForm>) => void
  problems: LoadProblems
}

const VISITS: readonly LoadNumber[] = ['visitorsMax', 'stepS', 'thinkS', 'answerS']
const BEARS: readonly LoadNumber[] = ['bearsP95S', 'bearsErrors']
const CEILINGS: readonly LoadNumber[] = [
  'requestsPerSecond',
  'megabytes',
  'minutes',
  'stopP95S',
  'stopErrors',
]

export function NewLoadTest() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY_LOAD)
  const [wasSent, setWasSent] = useState(false)
  const make = useChange(async () => {
    const { id } = await station('POST /load-tests', { body: loadTestAsked(form) })
    await navigate({ to: '/load-tests/$id', params: { id } })
  }, ['load-tests'])
  const problems = wasSent ? loadProblemsOf(form) : {}
  const part: FormPart = { form, problems, change: (typed) => setForm({ ...form, ...typed }) }
  return (
    <section className="card">
      <h2>{t('load.new')}</h2>
      <Rules />
      <ChangeForm
        change={make}
        isFilled={Object.keys(loadProblemsOf(form)).length === 0}
        label={t('load.make')}
        isPrimary
        onTry={() => setWasSent(true)}
        more={<span className="quiet">{t('load.makeNote')}</span>}
      >
        <Field
          label={t('load.urls')}
          value={form.urls}
          onChange={(urls) => part.change({ urls })}
          rows={3}
          help={t('load.urlsHelp')}
          problem={problems.urls === undefined ? undefined : t('form.seedsMissing')}
          placeholder="https://example.org/"
        />
        <Numbers {...part} name={t('load.visits')} fields={VISITS} />
        <Numbers {...part} name={t('load.bears')} help={t('load.bearsHelp')} fields={BEARS} />
        <Numbers {...part} name={t('load.stops')} help={t('load.stopsHelp')} fields={CEILINGS} />
      </ChangeForm>
    </section>
  )
}

/** Before anything is typed: what such a test does, and for whom. */
function Rules() {
  const { t } = useTranslation()
  return (
    <ul>
      <li>{t('load.rule.proof')}</li>
      <li>{t('load.rule.steps')}</li>
      <li>{t('load.rule.visitor')}</li>
      <li>{t('load.rule.alone')}</li>
    </ul>
  )
}

interface NumbersProps extends FormPart {
  name: string
  help?: string
  fields: readonly LoadNumber[]
}

function Numbers({ form, change, problems, name, help, fields }: NumbersProps) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <fieldset>
      <legend>{name}</legend>
      {help === undefined ? null : <p className="quiet">{help}</p>}
      <div className="limit-grid">
        {fields.map((field) => (
          <Field
            key={field}
            label={t(`load.field.${field}`)}
            value={form[field]}
            onChange={(text) => change({ [field]: text })}
            inputMode="decimal"
            isShort
            problem={
              problems[field] === undefined
                ? undefined
                : t('config.range', {
                    min: format.count(RANGES[field].least),
                    max: format.count(RANGES[field].most),
                  })
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
