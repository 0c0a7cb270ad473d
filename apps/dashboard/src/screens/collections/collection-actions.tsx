/** Pause, resume, stop, run again, cancel, discard. What cannot be taken back asks first; the
 * station's own collections only rest. */
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import type { Collection, Verb } from '../../api/api-types.ts'
import { useMe } from '../../auth/use-me.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'

const TOUCHED = ['live', 'collection', 'collections', 'captures', 'facets', 'curve']

export function CollectionActions({ collection }: { collection: Collection }) {
  const { may } = useMe()
  const navigate = useNavigate()
  const { id, spec } = collection
  const change = useChange(async (verb: Verb) => {
    const changed = await station(`POST /collections/{id}/${verb}`, { params: { id } })
    if (changed.id !== id) {
      await navigate({ to: '/collections/$id', params: { id: String(changed.id) } })
    }
  }, TOUCHED)
  const discard = useChange(
    () => station('POST /collections/{id}/discard', { params: { id } }),
    TOUCHED,
  )
  if (!may('collections:write')) return null
  const act = { collection, onAct: change.mutate, isBusy: change.isPending || discard.isPending }
  return (
    <div className="actions">
      <SafeActs {...act} />
      {spec.kind === 'crawl' ? (
        <LastingActs {...act} onDiscard={() => discard.mutate(undefined)} />
      ) : null}
      <Failure error={change.error ?? discard.error} />
    </div>
  )
}

interface Acting {
  collection: Collection
  onAct: (verb: Verb) => void
  isBusy: boolean
}

/** What can be taken back. */
function SafeActs({ collection: { state, spec, queued }, onAct, isBusy }: Acting) {
  const { t } = useTranslation()
  const isCrawl = spec.kind === 'crawl'
  const canGoOn = state === 'paused' || (isCrawl && state === 'finished' && queued > 0)
  const button = (verb: Verb, className: string) => (
    <Button className={className} isDisabled={isBusy} onPress={() => onAct(verb)}>
      {t(`collection.${verb}`)}
    </Button>
  )
  return (
    <>
      {canGoOn ? button('resume', 'primary') : null}
      {state === 'running' ? button('pause', '') : null}
      {isCrawl && (state === 'running' || state === 'paused') ? button('stop', '') : null}
      {isCrawl ? button('rerun', '') : null}
    </>
  )
}

function LastingActs({
  collection: { state },
  onAct,
  onDiscard,
}: Acting & { onDiscard: () => void }) {
  const { t } = useTranslation()
  const isOpen = state === 'running' || state === 'paused'
  return (
    <>
      {isOpen ? (
        <ConfirmButton
          label={t('collection.cancel')}
          title={t('collection.cancelTitle')}
          text={t('collection.cancelText')}
          yes={t('collection.cancelYes')}
          no={t('collection.cancelNo')}
          onConfirm={() => onAct('cancel')}
        />
      ) : null}
      <ConfirmButton
        label={t('collection.discard')}
        title={t('collection.discardTitle')}
        text={t('collection.discardText')}
        yes={t('collection.discardYes')}
        onConfirm={onDiscard}
      />
    </>
  )
}
