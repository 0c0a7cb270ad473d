/** Fields that a person fills in and sends; what went wrong and the button stand below them. */
import type { FormEvent, ReactNode } from 'react'
import { Button, Form } from 'react-aria-components'
import { Failure } from './failure.tsx'

interface ChangeFormProps {
  change: { mutate: (args: undefined) => void; error: Error | null; isPending: boolean }
  /** Whether there is anything to send, and nothing wrong with it. */
  isFilled: boolean
  label: string
  isPrimary?: boolean
  /** The button cannot be pressed before there is something to send. */
  isWaiting?: boolean
  /** The button stands in the row of the fields. */
  isInline?: boolean
  className?: string
  /** Before it is looked at what was filled in. */
  onTry?: () => void
  /** What else went wrong here. */
  error?: Error | null
  /** What an error begins with. */
  title?: string
  /** Next to the button. */
  more?: ReactNode
  /** What became of it, for screen readers too. */
  status?: string
  children: ReactNode
}

export function ChangeForm(props: ChangeFormProps) {
  const { change, isFilled, label, isPrimary = false, isWaiting = false, isInline = false } = props
  const { className = isInline ? 'form inline' : 'form', error = null, title, status } = props
  const send = (event: FormEvent): void => {
    event.preventDefault()
    props.onTry?.()
    if (isFilled) change.mutate(undefined)
  }
  const failure = (
    <Failure error={change.error ?? error} {...(title === undefined ? {} : { title })} />
  )
  const buttons = (
    <>
      <Button
        type="submit"
        isDisabled={(isWaiting && !isFilled) || change.isPending}
        {...(isPrimary ? { className: 'primary' } : {})}
      >
        {label}
      </Button>
      {props.more}
      {status === undefined ? null : (
        <span role="status" className="quiet">
          {status}
        </span>
      )}
    </>
  )
  return (
    <Form onSubmit={send} validationBehavior="aria" className={className}>
      {props.children}
      {isInline ? null : failure}
      {isInline ? buttons : <div className="actions">{buttons}</div>}
      {isInline ? failure : null}
    </Form>
  )
}

/** The password that the account has now, asked for again before something that matters. */
export const ownPassword = (t: (key: string) => string) =>
  ({
    label: t('account.yourPassword'),
    type: 'password',
    autoComplete: 'current-password',
  }) as const
