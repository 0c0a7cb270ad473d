/** What cannot be undone, or is sent to another user, asks first; Escape keeps things as they are. */
import { useState } from 'react'
import { Button, Dialog, DialogTrigger, Heading } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Field } from './field.tsx'
import { Overlay } from './overlay.tsx'

interface QuestionProps {
  title: string
  text: string
  /** The verb again, on the button that does it. */
  yes: string
  no?: string
  /** Asks for a note when there is a label for it. */
  noteLabel?: string
  isDanger?: boolean
  onConfirm: (note: string) => void
}

interface ConfirmButtonProps extends Omit<QuestionProps, 'yes'> {
  label: string
  /** The label, unless another verb is clearer. */
  yes?: string
  isDisabled?: boolean
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, isDanger = true, isDisabled = false } = props
  return (
    <DialogTrigger>
      <Button className={isDanger ? 'danger' : 'plain'} isDisabled={isDisabled}>
        {label}
      </Button>
      <Overlay>
        <Question {...props} yes={props.yes ?? label} isDanger={isDanger} />
      </Overlay>
    </DialogTrigger>
  )
}

/** To be shown in a modal. */
export function Question(props: QuestionProps) {
  const { t } = useTranslation()
  const [note, setNote] = useState('')
  return (
    <Dialog role="alertdialog">
      {({ close }) => (
        <>
          <Heading slot="title">{props.title}</Heading>
          <p>{props.text}</p>
          {props.noteLabel === undefined ? null : (
            <Field label={props.noteLabel} value={note} onChange={setNote} rows={2} />
          )}
          <div className="actions">
            <Button autoFocus onPress={close}>
              {props.no ?? t('confirm.no')}
            </Button>
            <Button
              className={props.isDanger ? 'danger' : 'primary'}
              onPress={() => {
                props.onConfirm(note.trim())
                close()
              }}
            >
              {props.yes}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
