/** Pause, resume, cancel. Cancelling cannot be taken back, so it asks first; the station's own
 * collections only rest. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { Collection } from '../api/api-types.ts'
import { changeCollection, type Verb } from '../api/client.ts'
import { readKey } from '../api/key.ts'
import { Failure } from './failure.tsx'

export function CollectionActions({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (verb: Verb) => changeCollection(collection.id, verb),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const { state, spec } = collection
  if (readKey() === null || state === 'finished' || state === 'cancelled') return null
  return (
    <div className="actions">
      {state === 'running' ? (
        <Button isDisabled={change.isPending} onPress={() => change.mutate('pause')}>
          {t('collection.pause')}
        </Button>
      ) : (
        <Button
          className="primary"
          isDisabled={change.isPending}
          onPress={() => change.mutate('resume')}
        >
          {t('collection.resume')}
        </Button>
      )}
      {spec.kind === 'crawl' ? (
        <DialogTrigger>
          <Button className="danger">{t('collection.cancel')}</Button>
          <CancelDialog onConfirm={() => change.mutate('cancel')} />
        </DialogTrigger>
      ) : null}
      <Failure error={change.error} />
    </div>
  )
}

function CancelDialog({ onConfirm }: { onConfirm: () => void }) {
  const { t } = useTranslation()
  return (
    <ModalOverlay className="overlay" isDismissable>
      <Modal className="modal">
        <Dialog role="alertdialog">
          {({ close }) => (
            <>
              <Heading slot="title">{t('collection.cancelTitle')}</Heading>
              <p>{t('collection.cancelText')}</p>
              <div className="actions">
                <Button autoFocus onPress={close}>
                  {t('collection.cancelNo')}
                </Button>
                <Button
                  className="danger"
                  onPress={() => {
                    onConfirm()
                    close()
                  }}
                >
                  {t('collection.cancelYes')}
                </Button>
              </div>
            </>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
