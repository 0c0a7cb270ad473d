/** Fields that a person fills in and sends; what went wrong and the button stand below them. */
import type { FormEvent, ReactNode } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Failure } from './failure.tsx'
import { Field } from './field.tsx'

interface ChangeFormProps {
  change: { mutate: (args: undefined) => void; error: Error | null; isPending: boolean }
  /** Whether there is anything to send. */
  isFilled: boolean
  label: string
  isPrimary?: boolean
  children: ReactNode
}

export function ChangeForm({ change, isFilled, label, isPrimary, children }: ChangeFormProps) {
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (isFilled) change.mutate(undefined)
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form">
      {children}
      <Failure error={change.error} />
      <div className="actions">
        <Button
          type="submit"
          isDisabled={change.isPending}
          {...(isPrimary === true ? { className: 'primary' } : {})}
        >
          {label}
        </Button>
      </div>
    </Form>
  )
}

interface OwnPasswordProps {
  value: string
  onChange: (value: string) => void
}

/** The password that the account has now, asked for again before something that matters. */
export function OwnPassword({ value, onChange }: OwnPasswordProps) {
  const { t } = useTranslation()
  return (
    <Field
      label={t('account.yourPassword')}
      value={value}
      onChange={onChange}
      type="password"
      autoComplete="current-password"
    />
  )
}
