/** Type a few letters, press Enter: every screen, what runs, and how the page looks. */
import { useRouter } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { Dialog } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { numberCommand, useCommands, type Command } from './commands.ts'
import { bestFits } from './fuzzy.ts'
import { Overlay } from '../overlay.tsx'

/** As many as a small screen shows; typing narrows the rest down. */
const SHOWN_MAX = 40

interface PaletteProps {
  onClose: () => void
  onShortcuts: () => void
}

export function Palette({ onClose, onShortcuts }: PaletteProps) {
  const { t } = useTranslation()
  return (
    <Overlay onClose={onClose} look="palette">
      <Dialog aria-label={t('palette.title')}>
        <Finder onClose={onClose} onShortcuts={onShortcuts} />
      </Dialog>
    </Overlay>
  )
}

function Finder({ onClose, onShortcuts }: PaletteProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const id = useId()
  const [asked, setAsked] = useState('')
  const [at, setAt] = useState(0)
  const shortcuts: Command = {
    id: 'shortcuts',
    text: t('palette.shortcuts'),
    group: t('palette.look'),
    run: { act: onShortcuts },
  }
  const commands = [...useCommands(), shortcuts]
  const found = [...numberCommand(asked, t), ...bestFits(asked, commands)].slice(0, SHOWN_MAX)
  const chosen = Math.min(at, found.length - 1)
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    if ('to' in command.run) router.history.push(command.run.to)
    else command.run.act()
  }
  return (
    <>
      <input
        autoFocus
        role="combobox"
        aria-label={t('palette.title')}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        placeholder={t('palette.open')}
        value={asked}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setAsked(event.target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const step = stepOf(event, chosen, found.length)
          if (step !== null) {
            event.preventDefault()
            setAt(step)
          }
          if (event.key === 'Enter') run(found[chosen])
        }}
      />
      <p className="unseen" role="status">
        {t('palette.found', { count: found.length })}
      </p>
      <ul id={id} role="listbox" aria-label={t('palette.title')}>
        {found.map((command, index) => (
          <Option
            key={command.id}
            id={`${id}-${index}`}
            command={command}
            isChosen={index === chosen}
            onRun={() => run(command)}
          />
        ))}
      </ul>
      {found.length === 0 ? <p className="quiet">{t('palette.none')}</p> : null}
    </>
  )
}

interface OptionProps {
  id: string
  command: Command
  isChosen: boolean
  onRun: () => void
}

function Option({ id, command: { text, group }, isChosen, onRun }: OptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      ref={(line) => {
        if (isChosen) line?.scrollIntoView({ block: 'nearest' })
      }}
      onClick={onRun}
    >
      <span>{text}</span>
      <small>{group}</small>
    </li>
  )
}

/** Around the ends, as lists of this kind go. */
function stepOf({ key }: KeyboardEvent, at: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
