# Completion of tierwall for bash: source <(tierwall completion bash), or in bash 3.2: eval "$(tierwall completion bash)"
# The program itself says what fits; this asks it, and tells readline.

_tierwall() {
  # Bash breaks words at : and = as well; the program wants them as they were typed, up to the cursor.
  local rest=${COMP_LINE:0:COMP_POINT} blank word i words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=${rest%%[![:space:]]*}
    rest=${rest#"$blank"}
    word=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$rest; fi
    rest=${rest#"$word"}
    if [[ -z $blank ]] && ((i > 0)); then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  # Quotes are for the shell.
  words=("${words[@]//[\"\'\\]/}")
  local typed=${words[${#words[@]} - 1]}

  local line directive=4
  COMPREPLY=()
  while IFS='' read -r line; do
    case $line in
      :[0-9]*) directive=${line#:} ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)

  # Readline replaces only what stands behind the last : or =.
  local kept=${typed%"${typed##*[:=]}"}
  if [[ -n $kept && $COMP_WORDBREAKS == *[:=]* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
  fi
  if ((directive & 2)) && type compopt >/dev/null 2>&1; then compopt -o nospace; fi
  if ((!(directive & 4) && ${#COMPREPLY[@]} == 0)); then
    typed=${typed#"$kept"}
    if type compopt >/dev/null 2>&1; then compopt -o filenames; fi
    while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$typed")
  fi
}

complete -F _tierwall tierwall
