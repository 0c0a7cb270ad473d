/** One task in full: what it asks for, what went wrong, and its limits to change. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiTaskView } from '@minga/protocol'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { isOpen } from './task-outlook.ts'
import { limitProblemsOf, limitsAsked, limitsTyped } from './wiki-form.ts'
import { WikiLimitFields } from './wiki-limit-fields.tsx'
import { addressOf, kindOf, TaskBar, TaskMark } from './wiki-task-parts.tsx'

const EVERY_MS = 1_000
const TOUCHED = ['wiki-task', 'wiki-tasks', 'wikis']
/** Names that are shown one by one. */
const NAMES_SHOWN = 100

export function WikiTaskCard({ id }: { id: number }) {
  const { t } = useTranslation()
  const task = useQuery({
    queryKey: ['wiki-task', id],
    queryFn: () => station('GET /wikis/tasks/{id}', { params: { id } }),
    refetchInterval: ({ state }) =>
      state.data === undefined || isOpen(state.data) ? EVERY_MS : false,
  })
  return (
    <section className="card" aria-label={t('wikiTask.number', { id })}>
      <Loaded query={task}>{(view) => <Task task={view} />}</Loaded>
      <p className="actions">
        <Link
          to="."
          search={((former: object) => ({ ...former, task: undefined })) as never}
          className="button"
          resetScroll={false}
        >
          {t('close')}
        </Link>
      </p>
    </section>
  )
}

function Task({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { id, kind, state, wiki } = task
  return (
    <>
      <header className="task-head">
        <h2>{t('wikiTask.named', { id, kind: t(`wikiTask.kind.${kindOf(kind)}`) })}</h2>
        <TaskMark state={state} />
      </header>
      <p className="address">
        {wiki === null ? null : (
          <Link to="/wikis/$wiki" params={{ wiki }}>
            {wiki}
          </Link>
        )}{' '}
        <span className="quiet">{addressOf(task)}</span>
      </p>
      <TaskBar task={task} />
      <TaskFigures task={task} />
      <Troubles task={task} />
      {may('collections:write') && kind !== 'metric' ? <TaskActions task={task} /> : null}
    </>
  )
}

function TaskFigures({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { progress, queued, failed, attempts } = task
  return (
    <FiguresList
      figures={[
        { label: t('wikiFigure.revisions'), value: format.count(progress.revisions) },
        { label: t('wikiTask.answers'), value: format.count(progress.requests) },
        { label: t('wikiTask.queued'), value: format.count(queued) },
        { label: t('wikiTask.upToDate'), value: format.count(progress.upToDate) },
        { label: t('wikiTask.failed'), value: format.count(failed) },
        { label: t('wikiTask.attempts'), value: format.count(attempts) },
      ]}
    />
  )
}

function Troubles({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const { progress, failures, error } = task
  return (
    <>
      {error === null ? null : (
        <p className="banner error" role="alert">
          {error}
        </p>
      )}
      <Named title={t('wikiTask.warnings')} names={progress.warnings} />
      <Named title={t('wikiTask.missing')} names={progress.missing} />
      <Named
        title={t('wikiTask.failures')}
        names={failures.map(({ page, code }) => `${page} · ${code}`)}
      />
    </>
  )
}

function Named({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul className="names">
        {names.slice(0, NAMES_SHOWN).map((name, i) => (
          <li key={i}>{name}</li>
        ))}
      </ul>
    </>
  )
}

function TaskActions({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const act = useChange(
    (verb: 'cancel' | 'retry') =>
      station(`POST /wikis/tasks/{id}/${verb}`, { params: { id: task.id } }),
    TOUCHED,
  )
  return (
    <>
      <Failure error={act.error} />
      <div className="actions">
        {isOpen(task) ? (
          <ConfirmButton
            label={t('wikiTask.cancel')}
            title={t('wikiTask.cancelTitle')}
            text={t('wikiTask.cancelText')}
            onConfirm={() => act.mutate('cancel')}
          />
        ) : (
          <Button onPress={() => act.mutate('retry')}>{t('wikiTask.retry')}</Button>
        )}
      </div>
      {isOpen(task) ? <Limits task={task} /> : null}
    </>
  )
}

function Limits({ task }: { task: WikiTaskView }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(() => limitsTyped(task.limits))
  const [priority, setPriority] = useState(String(task.priority))
  const change = useChange(
    () =>
      station('PATCH /wikis/tasks/{id}', {
        params: { id: task.id },
        body: { limits: limitsAsked(typed), priority: Number(priority) },
      }),
    TOUCHED,
  )
  const problems = limitProblemsOf(typed)
  const isPriority = /^-?\d{1,3}$/.test(priority.trim())
  const isFit = Object.keys(problems).length === 0 && isPriority
  return (
    <details>
      <summary>{t('wikiTask.limits')}</summary>
      <ChangeForm
        change={change}
        isFilled={isFit}
        label={t('save')}
        isWaiting
        status={change.isSuccess ? t('saved') : ''}
      >
        <WikiLimitFields
          typed={typed}
          change={(part) => setTyped({ ...typed, ...part })}
          problems={problems}
        />
        <Field
          label={t('wikiTask.priority')}
          value={priority}
          onChange={setPriority}
          inputMode="numeric"
          help={t('wikiTask.priorityHelp')}
          problem={isPriority ? undefined : t('wikiTask.priorityWrong')}
          isShort
        />
      </ChangeForm>
    </details>
  )
}
