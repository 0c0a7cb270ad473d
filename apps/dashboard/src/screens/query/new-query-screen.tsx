/** A question is put together: shipped queries, a saved one or one of your own, its inputs, and a look at the plan. */
import type { SavedView } from '@minga/protocol'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Select } from '../../components/choice.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { RESULT_FORMATS_SHOWN } from './formats.ts'
import type { WrittenQuery } from '../../api/queries.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { newId } from './digest.ts'
import { PlanGraph } from './plan-graph.tsx'
import { QueryEditor } from './query-editor.tsx'
import { readText } from './query-text.ts'
import { emptyForm, problemsOf, questionOf, refilled, type RunForm } from './run-form.ts'
import { problemText, RunFields } from './run-fields.tsx'

interface Asked {
  /** Names of shipped queries, with commas. */
  of?: string
  /** The number of a saved one; `new` to write one. */
  saved?: string
}

export function NewQueryScreen() {
  const { t } = useTranslation()
  const { saved } = useSearch({ strict: false }) as Asked
  return (
    <RequirePermission may="queries:run" title={t('query.new')}>
      <p className="quiet">
        <Link to="/queries">{t('query.title')}</Link>
      </p>
      <h1>{saved === undefined ? t('query.new') : t('query.own')}</h1>
      {saved === undefined ? <OfShipped /> : <OfText key={saved} saved={saved} />}
    </RequirePermission>
  )
}

function OfShipped() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { of = '' } = useSearch({ strict: false }) as Asked
  const shipped = useStation(['shipped'], 'GET /queries/shipped')
  const chosen = of.split(',').filter((name) => name !== '')
  const choose = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]
    void navigate({
      to: '/queries/new',
      search: { of: next.join(',') } as never,
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <Loaded query={shipped}>
      {(queries) => (
        <>
          <section className="card">
            <h2>{t('query.choose')}</h2>
            <p className="quiet">{t('query.chooseNote')}</p>
            <div className="query-choices">
              {queries.map((query) => (
                <QueryChoice
                  key={query.name}
                  query={query}
                  isChosen={chosen.includes(query.name)}
                  onChoose={() => choose(query.name)}
                />
              ))}
            </div>
            <p>
              <Link to="/queries/new" search={{ saved: 'new' } as never}>
                {t('query.writeOwn')}
              </Link>
            </p>
          </section>
          <Run queries={queries.filter(({ name }) => chosen.includes(name))} isShipped />
        </>
      )}
    </Loaded>
  )
}

interface QueryChoiceProps {
  query: WrittenQuery
  isChosen: boolean
  onChoose: () => void
}

function QueryChoice({ query, isChosen, onChoose }: QueryChoiceProps) {
  const { t } = useTranslation()
  const { name, about, inputs, output } = query
  return (
    <label className={`query-choice${isChosen ? ' chosen' : ''}`}>
      <input type="checkbox" checked={isChosen} onChange={onChoose} />
      <span>
        <b>{name}</b>
        <span lang="en">{about}</span>
        <span className="quiet">
          {t('query.needs', { inputs: Object.keys(inputs).join(', ') })} →{' '}
          <code>{output.columns.join(', ')}</code>
        </span>
      </span>
    </label>
  )
}

function OfText({ saved }: { saved: string }) {
  const read = useStation(['saved', saved], 'GET /saved-queries/{id}', {
    params: { id: saved },
    enabled: saved !== 'new',
  })
  const [text, setText] = useState<string | null>(null)
  if (saved === 'new') return <Written saved={null} text={text} onText={setText} />
  return (
    <Loaded query={read}>
      {(one) => <Written saved={one} text={text ?? one.text} onText={setText} />}
    </Loaded>
  )
}

interface WrittenProps {
  saved: SavedView | null
  text: string | null
  onText: (text: string) => void
}

function Written({ saved, text, onText }: WrittenProps) {
  const read = text === null ? null : readText(text)
  return (
    <>
      <QueryEditor saved={saved} text={text} onText={onText} />
      {read !== null && 'query' in read ? <Run queries={[read.query]} isShipped={false} /> : null}
    </>
  )
}

function Run({ queries, isShipped }: { queries: WrittenQuery[]; isShipped: boolean }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [kept, setKept] = useState<RunForm>(() => emptyForm(queries))
  const [isTried, setTried] = useState(false)
  const form = refilled(kept, queries)
  const problems = problemsOf(queries, form)
  const isRight = Object.keys(problems).length === 0
  const question = () => questionOf(queries, form, () => isShipped)
  const explain = useMutation({
    mutationFn: () => station('POST /queries/explain', { body: question() }),
  })
  const send = useMutation({
    mutationFn: () => station('POST /queries', { body: { ...question(), id: newId() } }),
    onSuccess: ({ id }) => navigate({ to: '/queries/$id', params: { id } }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (isRight) send.mutate()
  }
  if (queries.length === 0) return null
  return (
    <>
      <section className="card">
        <h2>{t('query.run')}</h2>
        <Form onSubmit={submit} validationBehavior="aria" className="form">
          <RunFields
            queries={queries}
            form={form}
            onForm={setKept}
            problems={isTried ? problems : {}}
          />
          <Limits form={form} onForm={setKept} problems={problems} />
          <Failure error={send.error ?? explain.error} />
          <div className="actions">
            <Button type="submit" className="primary" isDisabled={send.isPending}>
              {t('query.ask')}
            </Button>
            <Button
              isDisabled={explain.isPending}
              onPress={() => {
                setTried(true)
                if (isRight) explain.mutate()
              }}
            >
              {t('query.explain')}
            </Button>
          </div>
        </Form>
      </section>
      {explain.data === undefined ? null : (
        <section className="card">
          <h2>{t('planGraph.title')}</h2>
          <PlanGraph plan={explain.data} />
        </section>
      )}
    </>
  )
}

interface LimitsProps {
  form: RunForm
  onForm: (form: RunForm) => void
  problems: ReturnType<typeof problemsOf>
}

function Limits({ form, onForm, problems }: LimitsProps) {
  const { t } = useTranslation()
  return (
    <details>
      <summary>{t('query.more')}</summary>
      <div className="limit-grid">
        <Select
          label={t('query.format')}
          value={form.format}
          onChange={(chosen) => onForm({ ...form, format: chosen })}
          options={RESULT_FORMATS_SHOWN.map((format) => [format, format.toUpperCase()])}
        />
        <Field
          label={t('query.memory')}
          value={form.memoryMb}
          inputMode="numeric"
          problem={problemText(t, problems['memoryMb'])}
          onChange={(memoryMb) => onForm({ ...form, memoryMb })}
        />
        <Field
          label={t('query.deadline')}
          value={form.deadlineS}
          inputMode="numeric"
          problem={problemText(t, problems['deadlineS'])}
          onChange={(deadlineS) => onForm({ ...form, deadlineS })}
        />
      </div>
    </details>
  )
}
