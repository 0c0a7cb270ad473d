import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import {
  Button,
  Checkbox,
  FieldError,
  Form,
  Input,
  Label,
  Radio,
  RadioGroup,
  Text,
  TextArea,
  TextField,
} from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { SCOPES, type ScopeKind } from '../../api/api-types.ts'
import { startCollection } from '../../api/client.ts'
import { Failure } from '../../parts/failure.tsx'
import { ReadOnlyNote } from '../../parts/read-only-note.tsx'
import { useMe } from '../../people/use-me.ts'
import {
  EMPTY_FORM,
  LEAST,
  problemsOf,
  requestOf,
  type FormProblems,
  type FormValues,
  type NumberField,
} from './collection-form.ts'

interface FormPart {
  values: FormValues
  change: (part: Partial<FormValues>) => void
  problems: FormProblems
}

export function NewCollectionScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [values, setValues] = useState(EMPTY_FORM)
  const [wasSent, setWasSent] = useState(false)
  const start = useMutation({
    mutationFn: () => startCollection(requestOf(values)),
    onSuccess: ({ id }) => navigate({ to: '/collections/$id', params: { id: String(id) } }),
  })
  const problems = wasSent ? problemsOf(values) : {}
  const part: FormPart = {
    values,
    problems,
    change: (changed) => setValues({ ...values, ...changed }),
  }
  const send = (event: FormEvent): void => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(problemsOf(values)).length === 0) start.mutate()
  }
  const mayWrite = useMe().may('collections:write')
  return (
    <section className="card new-collection">
      <h1>{t('form.title')}</h1>
      <p className="quiet">{t('form.lead')}</p>
      <ReadOnlyNote />
      <Form onSubmit={send} validationBehavior="aria">
        <Seeds {...part} />
        <Scope {...part} />
        <NumberInput {...part} field="delay" help={t('form.delayHelp')} />
        <Limits {...part} />
        <Patterns {...part} />
        <Failure error={start.error} title={t('form.refused')} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={!mayWrite || start.isPending}>
            {start.isPending ? t('form.starting') : t('form.start')}
          </Button>
          <span className="quiet">{t('form.continue')}</span>
        </div>
      </Form>
    </section>
  )
}

function Seeds({ values, change, problems }: FormPart) {
  const { t } = useTranslation()
  return (
    <TextField
      value={values.seeds}
      onChange={(seeds) => change({ seeds })}
      isInvalid={problems.seeds === true}
      isRequired
    >
      <Label>{t('form.seeds')}</Label>
      <TextArea rows={4} placeholder="https://example.org/" spellCheck={false} />
      <Text slot="description">{t('form.seedsHelp')}</Text>
      <FieldError>{t('form.seedsMissing')}</FieldError>
    </TextField>
  )
}

function Scope({ values, change }: FormPart) {
  const { t } = useTranslation()
  return (
    <RadioGroup
      className="radios"
      value={values.scope}
      onChange={(scope) => change({ scope: scope as ScopeKind })}
    >
      <Label>{t('form.scope')}</Label>
      {SCOPES.map((scope) => (
        <Radio key={scope} value={scope}>
          {t(`scope.${scope}`)}
        </Radio>
      ))}
    </RadioGroup>
  )
}

function NumberInput(props: FormPart & { field: NumberField; help?: string }) {
  const { values, change, problems, field, help } = props
  const { t } = useTranslation()
  return (
    <TextField
      className="react-aria-TextField short"
      inputMode="decimal"
      value={values[field]}
      onChange={(text) => change({ [field]: text })}
      isInvalid={problems[field] === true}
    >
      <Label>{t(`form.${field}`)}</Label>
      <Input />
      {help === undefined ? null : <Text slot="description">{help}</Text>}
      <FieldError>{t('form.badNumber', { least: LEAST[field] })}</FieldError>
    </TextField>
  )
}

function Limits(part: FormPart) {
  const { t } = useTranslation()
  return (
    <fieldset>
      <legend>{t('form.limits')}</legend>
      <p className="quiet">{t('form.limitsHelp')}</p>
      <div className="limit-grid">
        <NumberInput {...part} field="maxPages" />
        <NumberInput {...part} field="maxDepth" />
        <NumberInput {...part} field="maxMegabytes" />
        <NumberInput {...part} field="maxMinutes" />
      </div>
      <Checkbox isSelected={part.values.embeds} onChange={(embeds) => part.change({ embeds })}>
        <span className="box" aria-hidden="true" />
        {t('form.embeds')}
      </Checkbox>
    </fieldset>
  )
}

function Patterns({ values, change }: FormPart) {
  const { t } = useTranslation()
  return (
    <details>
      <summary>{t('form.patterns')}</summary>
      <p className="quiet">{t('form.patternsHelp')}</p>
      <TextField value={values.include} onChange={(include) => change({ include })}>
        <Label>{t('form.include')}</Label>
        <TextArea rows={2} spellCheck={false} />
      </TextField>
      <TextField value={values.exclude} onChange={(exclude) => change({ exclude })}>
        <Label>{t('form.exclude')}</Label>
        <TextArea rows={2} spellCheck={false} />
      </TextField>
    </details>
  )
}
