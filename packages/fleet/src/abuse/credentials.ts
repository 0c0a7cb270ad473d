/**
 * Addresses that contain a secret. Volunteers read what they fetch, and a login by address is an
 * attempt on an account, even on one's own: neither is public data.
 */

export type CredentialKind = 'password' | 'token'

interface Parameter {
  name: string
  value: string
}

/** No address without one of these words carries a secret: most are let through by one look. */
const SUSPECT = /pass|pwd|[?&_]pw=|senha|contrase|clave|kennwort|secret|token|bearer/i

/** Ask for a secret by themselves. */
const PASSWORD =
  /^(?:\w*[_[-])?(?:password|passwd|passphrase|passwort|kennwort|senha|contrasena|contraseña|mot_?de_?passe|userpass|user_?password)(?:[\]_]|\d|confirm)*$/
/**
 * These are passwords next to a user's name or on a login page; elsewhere they open shared
 * documents and meetings.
 */
const MAYBE_PASSWORD =
  /^(?:\w*[_[-])?(?:pass|pwd|pw|passcode|clave|user_?pwd|userpw|login_?pass)\]?$/
const USER =
  /^(?:\w*[_[-])?(?:user|username|user_?name|user_?id|login|log|email|e-?mail|usr|uname|usuario|benutzer|utilisateur|account|acct|uid|userid|j_username|os_username|member|admin|customer)\]?$/
const LOGIN_PATH =
  /(?:^|[/_.-])(?:log-?[io]n|sign-?in|wp-login|wp-admin|auth|authenticate|session[s]?|admin|administrator|account|j_security_check|logon|signon|user[s]?|member[s]?|manager|phpmyadmin|cpanel|webmail|acceso|entrar|connexion)(?:[/_.;?-]|$)/
/** Tokens that are a log-in. Signed links to files (X-Amz-Signature, sig) and keys of public APIs are not. */
const TOKEN =
  /^(?:access_?token|auth_?token|authentication_?token|id_?token|refresh_?token|private_?token|bearer_?token|bearer|client_?secret|api_?secret|app_?secret|secret_?key|login_?token|oauth_?token|oauth_token_secret|user_?token|session_?token|authenticity_token|csrf_?token)$/
const MAYBE_TOKEN =
  /^(?:token|reset_?token|reset_password_token|confirmation_token|magic|otp|ticket)$/
const ONE_TIME_PATH =
  /(?:reset|recover|forgot|magic|one-?time|verify-?(?:e?mail|account)|activat|confirm|login|sign-?in|set-?password|change-?password|invit|sso)/
/** Words that a form writes where a secret would stand. */
const NO_SECRET =
  /^(?:|0|1|true|false|yes|no|on|off|null|none|undefined|forgot|forgotten|reset|lost|change|new|required|optional|show|hide|manager|generator|protected|\*+|x+|\{+\w*\}+|<\w+>|\$\w+)$/

/** Null when there is none. `pathAndQuery` is of a canonical URL. */
export function credentialsIn(pathAndQuery: string): CredentialKind | null {
  const cut = pathAndQuery.indexOf('?')
  if (cut < 0 || !SUSPECT.test(pathAndQuery)) return null
  const path = pathAndQuery.slice(0, cut).toLowerCase()
  const parameters = parametersOf(pathAndQuery.slice(cut + 1))
  const isLogin = LOGIN_PATH.test(path) || parameters.some(isUser)
  for (const { name, value } of parameters) {
    if (NO_SECRET.test(value)) continue
    if (PASSWORD.test(name)) return 'password'
    if (isLogin && MAYBE_PASSWORD.test(name)) return 'password'
    if (value.length < TOKEN_CHARS_MIN) continue
    if (TOKEN.test(name) || (MAYBE_TOKEN.test(name) && ONE_TIME_PATH.test(path))) return 'token'
  }
  return null
}

/** Shorter ones are placeholders, languages, page numbers. */
const TOKEN_CHARS_MIN = 6

const isUser = ({ name, value }: Parameter): boolean => value !== '' && USER.test(name)

function parametersOf(query: string): Parameter[] {
  return query.split(/[&;]/).map((text) => {
    const cut = text.indexOf('=')
    return cut < 0
      ? { name: plain(text), value: '' }
      : { name: plain(text.slice(0, cut)), value: plain(text.slice(cut + 1)) }
  })
}

function plain(text: string): string {
  if (!text.includes('%')) return text.toLowerCase()
  try {
    return decodeURIComponent(text).toLowerCase()
  } catch {
    return text.toLowerCase()
  }
}
