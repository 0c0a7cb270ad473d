/** Asks for the password when the station wants to see it again; Escape leaves things as they are. */
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { Button, Dialog, Form, Heading } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../api/station.ts'
import { askForPassword } from '../api/confirm.ts'
import { Failure } from '../components/failure.tsx'
import { Field } from '../components/field.tsx'
import { Overlay } from '../components/overlay.tsx'

type Answer = (isShown: boolean) => void

export function PasswordDialog() {
  const [isOpen, setOpen] = useState(false)
  const answer = useRef<Answer>(() => {})
  useEffect(
    () =>
      askForPassword(
        () =>
          new Promise<boolean>((resolve) => {
            answer.current = resolve
            setOpen(true)
          }),
      ),
    [],
  )
  const close = (isShown: boolean): void => {
    setOpen(false)
    answer.current(isShown)
  }
  return (
    <Overlay onClose={() => close(false)} isOpen={isOpen}>
      <Question onEnd={close} />
    </Overlay>
  )
}

function Question({ onEnd }: { onEnd: Answer }) {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<Error | null>(null)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    station('POST /sessions/confirm', { body: { password } }).then(
      () => onEnd(true),
      (refused: Error) => setError(refused),
    )
  }
  return (
    <Dialog>
      <Heading slot="title">{t('confirm.password')}</Heading>
      <p>{t('confirm.passwordText')}</p>
      <Form className="form" onSubmit={send} validationBehavior="aria">
        <Field
          label={t('people.password')}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <Failure error={error} />
        <div className="actions">
          <Button onPress={() => onEnd(false)}>{t('confirm.no')}</Button>
          <Button type="submit" className="primary">
            {t('confirm.go')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
