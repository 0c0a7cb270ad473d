/** Where a volunteer joins: what the command needs to know, and what its reader needs to know. */
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import type { JoinFacts } from '../../api/station-api.ts'
import { programOrigin } from '../../components/own-address.ts'
import { useFormat } from '../../components/use-format.ts'
import { isOnlyHere, type JoinPlace } from './join-command.ts'

interface JoinPlaceQuery {
  /** Null until the station has answered. */
  place: JoinPlace | null
  program: JoinFacts['program']
  error: Error | null
}

export function useJoinPlace(): JoinPlaceQuery {
  const { data, error } = useStation(['join-facts'], 'GET /join-facts')
  if (data === undefined) return { place: null, program: null, error }
  const { program, stationUrl } = data
  const place = {
    station: stationUrl ?? programOrigin(location.origin),
    programPath: program?.path ?? null,
  }
  return { place, program, error }
}

/** What keeps the line from working elsewhere. */
export function JoinWarnings({ place }: { place: JoinPlace }) {
  const { t } = useTranslation()
  const { station, programPath } = place
  return (
    <>
      {programPath === null ? (
        <p role="note">{t('join.notBuilt', { command: 'npm run build:agent' })}</p>
      ) : null}
      {isOnlyHere(station) ? (
        <p role="note">{t('join.onlyHere', { station, options: '--public-url, --listen' })}</p>
      ) : null}
    </>
  )
}

/** The program, for those who want to look at it before they run it. */
export function JoinProgram({ program }: { program: NonNullable<JoinFacts['program']> }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { path, bytes, sha256 } = program
  return (
    <p>
      <a href={path}>{path.split('/').at(-1)}</a> ({format.bytes(bytes)}), {t('join.digest')}{' '}
      <code className="join-digest">{sha256}</code>
    </p>
  )
}
