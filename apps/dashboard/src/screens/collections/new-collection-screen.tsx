/** A new collection in three steps: what, how far, how politely. It can be started from any of them. */
import type { ExistingChoice, ExistingCollection, CollectionRequest } from '@minga/protocol'
import { useMutation, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form, Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../components/use-format.ts'
import { Ago } from '../../components/ago.tsx'
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
import { NumberInput, SwitchInput, TextInput, type FormPart } from './form-fields.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { ScopePreviewer } from './scope-previewer.tsx'
import { SeedChecker } from './seed-checker.tsx'

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

interface Lookup {
  existing: ExistingCollection | undefined
  choice: ExistingChoice | null
  choose: (choice: ExistingChoice) => void
  /** Looks it up; while the form cannot be read, nothing is asked. */
  look: (values: FormValues) => void
  /** The same, although it was looked up before: the station has just said something else. */
  lookAgain: (values: FormValues) => void
}

/** Looks up which collection the form's seeds and scope are already, and keeps what was chosen about it. */
function useExisting(mayLook: boolean): Lookup {
  const [asked, setAsked] = useState<CollectionRequest | null>(null)
  const [chosen, setChosen] = useState<{ choice: ExistingChoice; id: number } | null>(null)
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['existing', asked],
    queryFn:
      asked === null ? skipToken : () => station('POST /collections/existing', { body: asked }),
    staleTime: 0,
  })
  const id = data?.collection?.id
  const look = (values: FormValues): void => {
    const isReadable = Object.keys(problemsOf(values)).length === 0
    setAsked(mayLook && isReadable ? requestOf(values) : null)
  }
  return {
    existing: data,
    // A choice about one collection says nothing about another.
    choice: chosen !== null && chosen.id === id ? chosen.choice : null,
    choose: (choice) => setChosen(id === undefined ? null : { choice, id }),
    look,
    lookAgain: (values) => {
      look(values)
      void client.invalidateQueries({ queryKey: ['existing'] })
    },
  }
}

interface ExistingCardProps {
  existing: ExistingCollection
  choice: ExistingChoice | null
  onChoice: (choice: ExistingChoice) => void
  /** The form was sent without a choice where one is needed. */
  isMissing: boolean
}

/** The collection that the same seeds and scope were gathered as before, and what to do about it now. */
function ExistingCard({ existing, choice, onChoice, isMissing }: ExistingCardProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { collection, changes } = existing
  if (collection === null) return null
  const { id, pages, spec, createdAt, endedAt } = collection
  const choices = offeredChoices(changes)
  return (
    <section className="banner info existing" aria-label={t('existing.title')}>
      <p>
        <b>{t('existing.title')}</b> <Ago at={endedAt ?? createdAt} /> (
        {t('existing.pages', { count: pages, shown: format.count(pages) })},{' '}
        {spec.maxPages === null
          ? t('existing.noLimit')
          : t('existing.limit', { limit: format.count(spec.maxPages) })}
        ).{' '}
        <Link to="/collections/$id" params={{ id: String(id) }}>
          {t('existing.open', { id })}
        </Link>
      </p>
      <RadioGroup
        className="radios"
        value={choice}
        isInvalid={isMissing}
        onChange={(value) => onChoice(value as ExistingChoice)}
      >
        <Label>{t('existing.question')}</Label>
        {choices.map((name) => (
          <Radio key={name} value={name}>
            {t(`existing.${name}`)}
          </Radio>
        ))}
      </RadioGroup>
      {isMissing ? <p role="alert">{t('existing.missing')}</p> : null}
    </section>
  )
}

/** Where nothing would change there is nothing to apply. */
function offeredChoices({ after }: ExistingCollection['changes']): readonly ExistingChoice[] {
  const isChange = Object.keys(after).length > 0
  return isChange ? ['continue', 'change', 'separate'] : ['continue', 'separate']
}
