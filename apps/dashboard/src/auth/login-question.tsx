/** Asks whether the address that was opened may sign in another account; Escape leaves things as they are. */
import { useTranslation } from 'react-i18next'
import { Question } from '../components/confirm-button.tsx'
import { useLoginFromAddress } from './use-key.ts'
import { Overlay } from '../components/overlay.tsx'

export function LoginQuestion() {
  const { t } = useTranslation()
  const question = useLoginFromAddress()
  if (question === null) return null
  const { own, other, accept, close } = question
  return (
    <Overlay onClose={close}>
      <Question
        title={t('key.switch')}
        text={other === null ? t('key.switchUnknown', { own }) : t('key.switchTo', { own, other })}
        yes={t('key.switchYes')}
        no={t('key.switchNo')}
        onConfirm={accept}
      />
    </Overlay>
  )
}
