import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Radios, Select } from '../../components/choice.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import {
  DEVICE_COUNTS,
  EMPTY_MONITOR,
  monitorAsked,
  monitorProblemsOf,
  PATIENCE,
  PERIODS,
  PLACE_KINDS,
  type MonitorForm,
  type MonitorProblems,
} from './monitor-form.ts'

interface FormPart {
  form: MonitorForm
  change: (part: Partial<MonitorForm>) => void
  problems: MonitorProblems
}

const HOUR_MS = 3_600_000

export function NewMonitor() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [form, setForm] = useState(EMPTY_MONITOR)
  const [wasSent, setWasSent] = useState(false)
  const make = useChange(async () => {
    const { id } = await station('POST /neutrality', { body: monitorAsked(form) })
    await navigate({ to: '/neutrality/$id', params: { id } })
  }, ['monitors'])
  const problems = wasSent ? monitorProblemsOf(form) : {}
  const part: FormPart = { form, problems, change: (typed) => setForm({ ...form, ...typed }) }
  return (
    <section className="card">
      <h2>{t('monitor.new')}</h2>
      <ChangeForm
        change={make}
        isFilled={Object.keys(monitorProblemsOf(form)).length === 0}
        label={t('monitor.make')}
        isPrimary
        onTry={() => setWasSent(true)}
      >
        <What {...part} />
        <Places {...part} />
        <Times {...part} />
      </ChangeForm>
    </section>
  )
}

function What({ form, change, problems }: FormPart) {
  const { t } = useTranslation()
  return (
    <>
      <Field
        label={t('people.name')}
        value={form.name}
        onChange={(name) => change({ name })}
        problem={problems.name === undefined ? undefined : t('monitor.nameMissing')}
      />
      <Field
        label={t('batch.urls')}
        value={form.urls}
        onChange={(urls) => change({ urls })}
        rows={4}
        help={t('monitor.urlsHelp')}
        problem={problems.urls === undefined ? undefined : t('form.seedsMissing')}
        placeholder="https://example.org/"
      />
    </>
  )
}

function Places({ form, change }: FormPart) {
  const { t } = useTranslation()
  return (
    <>
      <Radios
        label={t('monitor.by')}
        value={form.by}
        onChange={(by) => change({ by })}
        options={PLACE_KINDS.map((kind) => [kind, t(`monitor.place.${kind}`)])}
        isAcross
      />
      <label className="choice">
        <b>{t('monitor.devices')}</b>
        <select
          value={form.devicesPerPlace}
          onChange={(event) => change({ devicesPerPlace: event.target.value })}
        >
          {DEVICE_COUNTS.map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
        <span className="quiet">{t('monitor.devicesHelp')}</span>
      </label>
    </>
  )
}

function Times({ form, change, problems }: FormPart) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      <Select
        label={t('monitor.every')}
        value={form.everyHours}
        onChange={(chosen) => change({ everyHours: chosen })}
        options={PERIODS.map((hours) => [
          hours,
          hours === ''
            ? t('monitor.once')
            : t('monitor.everyTime', { time: format.span(Number(hours) * HOUR_MS) }),
        ])}
      />
      <Field
        label={t('monitor.patience')}
        value={form.patienceMinutes}
        onChange={(patienceMinutes) => change({ patienceMinutes })}
        help={t('monitor.patienceHelp')}
        inputMode="decimal"
        isShort
        problem={
          problems.patienceMinutes === undefined
            ? undefined
            : t('config.range', {
                min: format.count(PATIENCE.least),
                max: format.count(PATIENCE.most),
              })
        }
      />
    </>
  )
}
