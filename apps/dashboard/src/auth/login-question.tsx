/** Asks whether the address that was opened may sign in another account; Escape leaves things as they are. */
import { Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Question } from '../components/confirm-button.tsx'
import { useLoginFromAddress } from './use-key.ts'

export function LoginQuestion() {
  const { t } = useTranslation()
  const question = useLoginFromAddress()
  if (question === null) return null
  const { own, other, accept, close } = question
  return (
    <ModalOverlay
      className="overlay"
      isDismissable
      isOpen
      onOpenChange={(open) => (open ? undefined : close())}
    >
      <Modal className="modal">
        <Question
          title={t('key.switch')}
          text={
            other === null ? t('key.switchUnknown', { own }) : t('key.switchTo', { own, other })
          }
          yes={t('key.switchYes')}
          no={t('key.switchNo')}
          onConfirm={accept}
        />
      </Modal>
    </ModalOverlay>
  )
}
