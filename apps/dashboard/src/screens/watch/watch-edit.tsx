/** Changing a watch manually: pause, undo, remove, and its settings. */
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WatchDetail } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'
import { WatchFields } from './watch-fields.tsx'
import { changesAsked, editProblemsOf, typedOf } from './watch-form.ts'

const TOUCHED = ['watches']

export function WatchActions({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const turn = useChange(
    (verb: 'pause' | 'resume' | 'undo') =>
      station(`POST /watches/{id}/${verb}`, { params: { id: watch.id } }),
    TOUCHED,
  )
  const remove = useChange(async (withCaptures: boolean) => {
    await station('DELETE /watches/{id}', { params: { id: watch.id }, query: { withCaptures } })
    await navigate({ to: '/watches' })
  }, TOUCHED)
  return (
    <div className="actions">
      <Button
        isDisabled={turn.isPending}
        onPress={() => turn.mutate(watch.isActive ? 'pause' : 'resume')}
      >
        {t(watch.isActive ? 'collection.pause' : 'collection.resume')}
      </Button>
      <Button isDisabled={turn.isPending} onPress={() => turn.mutate('undo')}>
        {t('watch.undo')}
      </Button>
      <ConfirmButton
        label={t('watch.remove')}
        title={t('watch.removeTitle')}
        text={t('watch.removeText')}
        onConfirm={() => remove.mutate(false)}
      />
      <ConfirmButton
        label={t('watch.removeAll')}
        title={t('watch.removeAllTitle')}
        text={t('watch.removeAllText')}
        onConfirm={() => remove.mutate(true)}
      />
      <Failure error={turn.error ?? remove.error} />
    </div>
  )
}

export function WatchEdit({ watch }: { watch: WatchDetail }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(() => typedOf(watch))
  const [wasSent, setWasSent] = useState(false)
  const categories = useStation(['watch-categories'], 'GET /watches/categories')
  const change = useChange(
    () =>
      station('PATCH /watches/{id}', {
        params: { id: watch.id },
        body: changesAsked(watch, typed),
      }),
    TOUCHED,
  )
  const isTouched = Object.keys(changesAsked(watch, typed)).length > 0
  const send = (event: FormEvent): void => {
    event.preventDefault()
    setWasSent(true)
    if (Object.keys(editProblemsOf(typed)).length === 0) change.mutate(undefined)
  }
  return (
    <section className="card">
      <details>
        <summary>
          <h2>{t('watch.edit')}</h2>
        </summary>
        <p className="quiet">{t('watch.editLead')}</p>
        <Form onSubmit={send} validationBehavior="aria" className="form">
          <WatchFields
            typed={typed}
            change={(part) => setTyped({ ...typed, ...part })}
            problems={wasSent ? editProblemsOf(typed) : {}}
            categories={categories.data ?? []}
          />
          <Failure error={change.error} />
          <div className="actions">
            <Button type="submit" className="primary" isDisabled={!isTouched || change.isPending}>
              {t('save')}
            </Button>
          </div>
        </Form>
      </details>
    </section>
  )
}
