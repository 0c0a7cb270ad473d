/** A new collection in three steps: what, how far, how politely. It can be started from any of them. */
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { ApiFailure } from '../../api/call.ts'
import { Failure } from '../../components/failure.tsx'
import { ReadOnlyNote } from '../../components/read-only-note.tsx'
import { useMe } from '../../auth/use-me.ts'
import {
  EMPTY_FORM,
  POLITENESS,
  problemsOf,
  requestOf,
  stepOf,
  STEPS,
  type FormValues,
  type Step,
} from './collection-form.ts'
import { ExistingCard } from './existing-card.tsx'
import { NumberInput, SwitchInput, TextInput, type FormPart } from './form-fields.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { ScopePreviewer } from './scope-previewer.tsx'
import { SeedChecker } from './seed-checker.tsx'
import { useExisting } from './use-existing.ts'

const LAST: Step = 2

export function NewCollectionScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [values, setValues] = useState(EMPTY_FORM)
  const [step, setStep] = useState<Step>(0)
  const [wasSent, setWasSent] = useState(false)
  const { existing, choice, choose, look, lookAgain } = useExisting(
    useMe().may('collections:write'),
  )
  const start = useMutation({
    mutationFn: () =>
      station('POST /collections', {
        body: { ...requestOf(values), ...(choice === null ? {} : { existing: choice }) },
      }),
    onSuccess: ({ id }) => navigate({ to: '/collections/$id', params: { id: String(id) } }),
    onError: () => lookAgain(values),
  })
  const isChoiceMissing =
    start.error instanceof ApiFailure && start.error.code === 'MINGA_COLLECTION_EXISTS'
  const part: FormPart = {
    values,
    problems: wasSent ? problemsOf(values) : {},
    change: (changed: Partial<FormValues>) => setValues({ ...values, ...changed }),
  }
  const send = (event: FormEvent): void => {
    event.preventDefault()
    setWasSent(true)
    const wrong = stepOf(problemsOf(values))
    if (wrong === null) start.mutate()
    else setStep(wrong)
  }
  const Shown = [WhatStep, FarStep, PoliteStep][step]!
  return (
    <section className="card new-collection">
      <h1>{t('form.title')}</h1>
      <p className="quiet">{t('form.lead')}</p>
      <ReadOnlyNote />
      <Steps step={step} onStep={setStep} />
      <Form onSubmit={send} validationBehavior="aria">
        <div onBlur={() => look(values)}>
          <Shown {...part} />
        </div>
        {existing === undefined ? null : (
          <ExistingCard
            existing={existing}
            choice={choice}
            onChoice={choose}
            isMissing={isChoiceMissing && choice === null}
          />
        )}
        <Failure error={isChoiceMissing ? null : start.error} title={t('form.refused')} />
        <Acts step={step} onStep={setStep} isPending={start.isPending} />
      </Form>
    </section>
  )
}

interface StepProps {
  step: Step
  onStep: (step: Step) => void
}

function Steps({ step, onStep }: StepProps) {
  const { t } = useTranslation()
  return (
    <ol className="steps" aria-label={t('form.steps')}>
      {STEPS.map((name, i) => (
        <li key={name}>
          <Button
            className={i === step ? 'step current' : 'step'}
            {...(i === step ? { 'aria-current': 'step' as const } : {})}
            onPress={() => onStep(i as Step)}
          >
            <span aria-hidden="true">{i + 1}</span> {t(`form.step.${name}`)}
          </Button>
        </li>
      ))}
    </ol>
  )
}

function Acts({ step, onStep, isPending }: StepProps & { isPending: boolean }) {
  const { t } = useTranslation()
  const mayWrite = useMe().may('collections:write')
  return (
    <div className="actions">
      {step === 0 ? null : (
        <Button onPress={() => onStep((step - 1) as Step)}>{t('form.back')}</Button>
      )}
      {step === LAST ? null : (
        <Button className="primary" onPress={() => onStep((step + 1) as Step)}>
          {t('form.next')}
        </Button>
      )}
      <Button
        type="submit"
        className={step === LAST ? 'primary' : ''}
        isDisabled={!mayWrite || isPending}
      >
        {isPending ? t('form.starting') : t('form.start')}
      </Button>
    </div>
  )
}

function WhatStep(part: FormPart) {
  const { t } = useTranslation()
  return (
    <>
      <h2 className="unseen">{t('form.step.what')}</h2>
      <TextInput
        {...part}
        field="seeds"
        rows={4}
        placeholder="https://example.org/"
        help={t('form.seedsHelp')}
        problem={t('form.seedsMissing')}
      />
      <SeedChecker values={part.values} />
      <fieldset>
        <legend>{t('form.also')}</legend>
        <SwitchInput {...part} field="embeds" />
        <SwitchInput {...part} field="sitemaps" />
      </fieldset>
      <details>
        <summary>{t('form.extractSummary')}</summary>
        <TextInput
          {...part}
          field="extract"
          rows={6}
          help={t('form.extractHelp')}
          problem={t('form.badJson')}
          placeholder={'{"table":"titles","rules":[{"field":"title","from":"css","select":"h1"}]}'}
        />
      </details>
    </>
  )
}

function FarStep(part: FormPart) {
  const { t } = useTranslation()
  const { values, change } = part
  return (
    <>
      <h2 className="unseen">{t('form.step.far')}</h2>
      <ScopeChoice value={values.scope} onChange={(scope) => change({ scope })} />
      <fieldset>
        <legend>{t('form.limits')}</legend>
        <p className="quiet">{t('form.limitsHelp')}</p>
        <div className="limit-grid">
          <NumberInput {...part} field="maxPages" />
          <NumberInput {...part} field="maxDepth" />
          <NumberInput {...part} field="maxMegabytes" />
          <NumberInput {...part} field="maxMinutes" />
          <NumberInput {...part} field="maxPagesPerHost" />
          <NumberInput {...part} field="maxMegabytesPerHost" />
          <NumberInput {...part} field="maxMinutesPerHost" />
        </div>
        <SwitchInput {...part} field="trapBudget" />
        <SwitchInput {...part} field="obeyNofollow" />
      </fieldset>
      <fieldset>
        <legend>{t('form.patterns')}</legend>
        <p className="quiet">{t('form.patternsHelp')}</p>
        <TextInput {...part} field="include" rows={2} />
        <TextInput {...part} field="exclude" rows={2} />
      </fieldset>
      <details>
        <summary>{t('form.filterSummary')}</summary>
        <TextInput
          {...part}
          field="filter"
          rows={4}
          help={t('form.filterHelp')}
          problem={t('form.badJson')}
        />
      </details>
      <ScopePreviewer values={values} />
    </>
  )
}

function PoliteStep(part: FormPart) {
  const { t } = useTranslation()
  const { values, change } = part
  return (
    <>
      <h2 className="unseen">{t('form.step.polite')}</h2>
      <NumberInput {...part} field="delay" help={t('form.delayHelp')} />
      <label className="choice">
        <span>{t('form.politeness')}</span>
        <select
          value={values.politeness}
          onChange={({ target }) =>
            change({ politeness: target.value as FormValues['politeness'] })
          }
        >
          {POLITENESS.map((name) => (
            <option key={name} value={name}>
              {t(`politeness.${name}`)}
            </option>
          ))}
        </select>
      </label>
      {values.politeness === 'constant' ? null : <NumberInput {...part} field="delayMin" />}
      <fieldset>
        <legend>{t('form.load')}</legend>
        <div className="limit-grid">
          <NumberInput {...part} field="inFlightPerHost" help={t('form.inFlightHelp')} />
          <NumberInput {...part} field="kilobytesPerSecondPerHost" />
          <NumberInput {...part} field="kilobytesPerSecond" />
          <NumberInput {...part} field="retries" />
        </div>
      </fieldset>
      <p className="quiet">
        {t('form.stationWide')} <Link to="/config">{t('form.stationWideLink')}</Link>
      </p>
    </>
  )
}
